-- What people have authorized the service to do at a tool server: the tokens for it, and where they came from.
create table tool_server_authorizations (
  server text not null,
  -- An empty text: everybody's.
  user_id text not null,
  -- The authorization server that issued the tokens: nobody else gets them.
  issuer text not null,
  -- The address of the tool server for which they were issued: no other gets them.
  url text not null,
  -- JSON that only the service reads: the metadata of the authorization server and the client; and, sealed, the tokens.
  facts text not null, secrets text not null,
  scopes text,
  -- Scopes that the server asked for since.
  wanted_scopes text,
  -- False: the tokens can't be used or refreshed any more.
  is_valid boolean not null default true,
  expires_at timestamptz(3),
  -- From when on the tokens are refreshed; null: when the server refuses them.
  refresh_at timestamptz(3),
  refreshed_at timestamptz(3),
  error text, failed_at timestamptz(3),
  connected_by text not null, connected_at timestamptz(3) not null default now(),
  primary key (server, user_id, issuer)
);
create index tool_server_authorizations_to_refresh on tool_server_authorizations (refresh_at) where is_valid;
alter table tool_server_authorizations enable row level security;

-- Sign-ins that have begun: the digest of the state that the browser brings back, who began it, and, sealed, the rest.
create table tool_server_sign_ins (
  state text primary key,
  server text not null, user_id text not null, begun_by text not null,
  secrets text not null,
  expires_at timestamptz not null
);
alter table tool_server_sign_ins enable row level security;

-- The clients by which the service is known at authorization servers: registered ones, sealed, and, for a configured one, the issuer
-- that got it first.
create table tool_server_clients (name text primary key, issuer text not null, client text not null);
alter table tool_server_clients enable row level security;
