-- A tool whose definition is not the accepted one is held. `held` is the digest of the definition that its server offers
-- meanwhile; no `digest` means that none was ever accepted. `told_of` is the held definition that the admins were told of
-- last, and `told` how often they were since they last accepted.
alter table tool_definitions alter column digest drop not null;
alter table tool_definitions
  add column held text,
  add column told_of text,
  add column told integer not null default 0;
