-- Of a step that says that a call of the model failed: when it is made again.
alter table steps add column retry_at timestamptz(3);
