-- Runs at the first start of the second Postgres, which creates the vault's database by itself.
CREATE DATABASE plaza_witness;
