-- Schema 19: words of schema 1 to 3 that were mended where they stood.
UPDATE miss_reasons SET meaning = 'the entry''s TTL was over' WHERE reason = 'expired';
UPDATE recorded_causes SET meaning = 'the entry had outlived its TTL' WHERE cause = 'ttl';
