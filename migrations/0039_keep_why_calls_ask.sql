-- What made the context of a call that asks outside, in words that follow "because of". Null: the context is trusted, or the call
-- asked before this was kept.
alter table approvals add column outside_because text;

-- Whether a channel summary was made from messages of guests or programs. Earlier summaries count so where the channel has guests.
alter table channels add column is_summary_outside boolean not null default false;
update channels c set is_summary_outside = true
where c.summary is not null and exists (
  select from channel_members m join users u on u.id = m.user_id where m.channel_id = c.channel_id and u.is_guest
);

-- Whoever cancels a task closes its calls that wait.
create policy owner_updates on approvals for update using (caller_may_change(task_id));
