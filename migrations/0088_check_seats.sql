-- Each transaction of a request begins with a check of the caller's seat (src/Runtime/Isolation.ts), because the role that
-- authentication found may be some seconds old. The error becomes a response with 403.
create function check_seat(caller text, wanted text) returns void language plpgsql stable as $$
begin
  if not exists (
    select from team_members where user_id = caller and (wanted = 'member' or role in ('owner', 'admin'))
  ) then
    raise exception using errcode = 'TR403', message = 'The caller has lost the seat in the team, or its role';
  end if;
end $$;

-- Every process then forgets the seats that it remembers, also after a change by hand.
create function notify_seats() returns trigger language plpgsql as $$
begin
  perform pg_notify('troupe_seats', '');
  return null;
end $$;

create trigger team_members_notify after update of role, user_id or delete on team_members
for each statement execute function notify_seats();
