-- Schema 4: a server may disturb requests, where a scenario says so.

INSERT INTO miss_reasons VALUES
  ('noise', 'an option of the server let it miss, for nothing in what was sent');

UPDATE miss_reasons SET meaning = 'the entry could not be read yet: its response had not begun, or an option let the server lag'
WHERE reason = 'not-yet-readable';
