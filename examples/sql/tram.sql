-- The expected arrivals of trams: Examples 8 and 9 of the LARS paper.
CREATE STREAM tram (id VARCHAR NOT NULL, st VARCHAR NOT NULL, t BIGINT, TIME t);
CREATE STREAM jam (st VARCHAR NOT NULL);
CREATE TABLE line (id VARCHAR NOT NULL, l VARCHAR NOT NULL);
CREATE TABLE plan (l VARCHAR NOT NULL, x VARCHAR NOT NULL, y VARCHAR NOT NULL, z BIGINT NOT NULL);
INSERT INTO line VALUES ('a1', 'l1'), ('a2', 'l2'), ('a3', 'l3');
INSERT INTO plan VALUES ('l1', 'b', 'm', 8), ('l2', 'g', 'm', 7), ('l3', 'h', 'm', 3);

SELECT tram.id, plan.y, tram.t + plan.z AS arrives
FROM tram [PARTITION BY id ROWS 1], line, plan
WHERE tram.id = line.id AND line.l = plan.l AND tram.st = plan.x
  AND NOT EXISTS (SELECT * FROM jam [RANGE 20] WHERE jam.st = tram.st);
