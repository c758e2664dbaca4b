-- The tools of a server as they were accepted, and those that the admins were last notified of: JSON pairs of a tool's
-- name and the digest of its definition. A tool that is listed with a digest that was not accepted is held. A new
-- configuration deletes all rows; the next list of a server is then accepted.
create table tool_server_pins (
  server text primary key,
  accepted text not null,
  notified text not null default '[]',
  notification_count integer not null default 0
);
alter table tool_server_pins enable row level security;
create policy admins on tool_server_pins using (caller_is_admin());

insert into tool_server_pins (server, accepted, notified)
select server,
  coalesce(json_agg(json_build_array(tool, digest)) filter (where tool <> '' and digest is not null), '[]')::text,
  coalesce(json_agg(json_build_array(tool, held)) filter (where held = notified_digest), '[]')::text
from tool_definitions group by server;

drop table tool_definitions;
