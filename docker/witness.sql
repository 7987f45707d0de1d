-- At the first start of the second Postgres, which makes the vault's database by itself.
CREATE DATABASE plaza_witness;
