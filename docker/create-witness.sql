-- Run once by the Postgres image, beside the vault's own database.
CREATE DATABASE plaza_witness;
