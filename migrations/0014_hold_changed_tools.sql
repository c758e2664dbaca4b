-- A tool whose definition is not the accepted one is held. `held` is the digest of the definition that its server offers
-- meanwhile; no `digest` means that none was ever accepted. `notified_digest` is the definition that the admins were
-- last notified of, and `notification_count` how often they were since they last accepted. The row of a server with an
-- empty `tool` says that the server was reviewed, whatever it listed; it counts the notifications of new tools in use.
alter table tool_definitions alter column digest drop not null;
alter table tool_definitions
  add column held text,
  add column notified_digest text,
  add column notification_count integer not null default 0;
