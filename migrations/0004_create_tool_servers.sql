-- The tool servers that agents work with: one row, replaced as a whole. No row: never configured, so that a file may
-- seed it; cleared is a row without servers. `servers` is JSON by server name, whose values of `env` and `headers` are
-- sealed, where there is a key.
create table tool_server_config (
  single boolean primary key default true check (single), version bigint not null, servers text not null
);

-- What each process that runs tasks reports of its servers. A row that is not renewed counts for nothing.
create table tool_server_reports (
  process uuid primary key, version bigint not null, servers text not null, reported_at timestamptz(3) not null
);

-- The tools of a server: as it listed them last (JSON of the whole definitions), as they were accepted, and those that the
-- admins were last notified of (JSON pairs of a tool's name and the digest of its definition). A tool that is listed with a
-- digest that was not accepted is held. A new configuration deletes the rows of the servers that it changes; the next list
-- of such a server is then accepted.
create table tool_server_pins (
  server text primary key,
  accepted text not null, listed text not null default '[]', notified text not null default '[]',
  notification_count integer not null default 0
);
