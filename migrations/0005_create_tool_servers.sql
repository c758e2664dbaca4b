-- The tool servers that agents work with: one row, replaced as a whole. No row: never configured, so that a file may
-- seed it; cleared is a row without servers.
create table tool_server_config (
  single boolean primary key default true check (single),
  version bigint not null,
  -- JSON by server name; the values of `env` and `headers` sealed, where there is a key.
  servers text not null,
  changed_at timestamptz(3) not null
);

-- What each process that runs tasks says of its servers. A row that is not renewed counts for nothing.
create table tool_server_reports (
  process uuid primary key,
  version bigint not null,
  servers text not null,
  reported_at timestamptz(3) not null
);

-- How each tool was defined when it was first seen or last accepted, to notice one that changes its words later.
create table tool_definitions (
  server text not null,
  tool text not null,
  digest text not null,
  seen_at timestamptz(3) not null,
  primary key (server, tool)
);
