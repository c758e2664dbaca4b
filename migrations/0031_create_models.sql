-- The language models that people have added to that of the settings: one row, written as a whole. No row: none was added.
-- `models` is JSON by name, whose keys are sealed; `default_model` and `fallbacks` are names of them, or `settings`.
create table model_config (
  single boolean primary key default true check (single), version bigint not null, models text not null,
  default_model text not null, fallbacks text[] not null
);

alter table model_config enable row level security;
create policy admins on model_config using (caller_is_admin());
