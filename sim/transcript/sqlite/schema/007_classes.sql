-- Schema 7: what content is made of, by which token counters weigh it, so that requests can be counted again.

ALTER TABLE nodes ADD COLUMN class TEXT NOT NULL DEFAULT ''; -- prose, code, json; '' for a border, and where it was recorded before schema 7
