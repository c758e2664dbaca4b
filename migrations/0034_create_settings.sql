-- The settings that people have stored: one row, written as a whole. No row: none was stored. `settings` is JSON by the name of
-- the setting; secrets are sealed, other values as given.
create table stored_settings (
  single boolean primary key default true check (single), version bigint not null, settings text not null
);

-- Who changed what. `value` is null for a secret, and where the stored value was removed (`is_set` is false).
create table setting_changes (
  id uuid primary key, name text not null, value text, is_set boolean not null,
  changed_by text, changed_at timestamptz(3) not null default now()
);

alter table stored_settings enable row level security;
create policy admins on stored_settings using (caller_is_admin());
alter table setting_changes enable row level security;
create policy admins on setting_changes using (caller_is_admin());
