-- Schema 13: where the bytes of a recorded prompt stop being a continuation of those
-- before.

ALTER TABLE recorded_requests ADD COLUMN changed TEXT NOT NULL DEFAULT ''; -- such as system: block 2 (text), byte 140; '' for nowhere, and where the recording holds no bytes

UPDATE recorded_causes SET meaning = 'the tools had changed, as the API or the bytes of the prompts say' WHERE cause = 'tools';
UPDATE recorded_causes SET meaning = 'the system prompt had changed, as the API or the bytes of the prompts say' WHERE cause = 'system';
UPDATE recorded_causes SET meaning = 'earlier messages were rewritten: the bytes of the prompts say so, or the prompt is shorter than what was expected to be read' WHERE cause = 'history';
