-- Messages to one recipient are sent in order only if they have the same `ordered_by`: a webhook's is its task, so that one
-- that fails delays no other task. Mail and chat have all the same one.
alter table outbox add column ordered_by uuid not null
  generated always as (coalesce(case channel when 'webhook' then task_id end, '00000000-0000-0000-0000-000000000000')) stored;

drop index outbox_by_recipient;
create index outbox_by_order on outbox (channel, left(recipient, 200), ordered_by, id) where state in ('pending', 'sending');

-- For the oldest event of a subscription that its receiver has not accepted yet.
create index outbox_unsent_events on outbox (recipient, id) where channel = 'webhook' and state in ('pending', 'sending');
