-- Rooms in which it was hot, and how often each sensor reported.
CREATE STREAM readings (sensor VARCHAR NOT NULL, celsius DOUBLE, ts TIMESTAMP, TIME ts);
CREATE TABLE rooms (sensor VARCHAR NOT NULL, room VARCHAR NOT NULL);
INSERT INTO rooms VALUES ('s1', 'kitchen'), ('s2', 'kitchen'), ('s3', 'hall');

-- every reading of the last five minutes, with its room
CREATE VIEW recent AS
SELECT r.sensor, room, celsius
FROM readings [RANGE 5 MINUTES SLIDE 1 MINUTE] AS r LEFT JOIN rooms USING (sensor);

SELECT room, COUNT(*) AS readings, MAX(celsius) AS hottest
FROM recent
GROUP BY room
HAVING MAX(celsius) > 30
ORDER BY hottest DESC;
