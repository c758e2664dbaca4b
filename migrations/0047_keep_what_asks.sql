-- What asks about a call: a rule, the preset, a recipient whom nobody named, or private things that leave. Null: it asked before this
-- was kept.
alter table approvals add column cause text;
