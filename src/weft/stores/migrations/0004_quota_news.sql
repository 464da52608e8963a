-- The few events that every Weft process of the user looks for, whichever run wrote them.
CREATE INDEX quota_news ON events (at) WHERE type = 'quota_seen';
