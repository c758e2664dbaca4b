-- Columns that no statement reads.
alter table tool_server_config drop column changed_at;
alter table former_members drop column removed_at;
alter table channels drop column summarized_at;
alter table inbox drop column sent_at;

-- A notification is found by its user and id, whether it is read or not.
alter table notifications drop constraint notifications_pkey, drop column is_read, add primary key (user_id, id);
create index notifications_unread on notifications (user_id, id) where read_at is null;

-- `mail_ledger_by_end` has the same times.
drop index mail_ledger_acted;
