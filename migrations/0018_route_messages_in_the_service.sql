-- Who is told of what, and by which way, is computed by the service (src/Delivery/Audience.ts, WebhookChannel.ts), and
-- the statements insert it. The ways are those of packages/domain/src/DeliveryWay.ts.
drop function send_notifications(uuid[], text[], uuid[]);
drop function publish_event(text, uuid, text[], timestamptz, integer, text, text, text);
drop function outbox_id(uuid, text);

alter table outbox drop constraint outbox_channel_check;
alter table tasks drop constraint tasks_reply_channel_check;
alter table task_threads drop constraint task_threads_channel_check;

-- Events are queued only while a subscription is active.
create or replace function has_subscriptions() returns boolean language plpgsql stable security definer set search_path from current as $$
begin
  return exists (select from subscriptions where disabled_reason is null);
end $$;
