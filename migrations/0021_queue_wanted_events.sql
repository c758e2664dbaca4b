-- Events are queued only if a subscription is to get them. As with `has_subscriptions`, requests ask too, whose role may not
-- read the subscriptions of others. Each part reads its own index (subscriptions_to_all, subscriptions_by_user).
create function is_subscribed(event text, people text[]) returns boolean
language plpgsql stable security definer set search_path from current as $$
begin
  return exists (
    select from subscriptions a where a.tasks = 'all' and a.disabled_reason is null and event = any(a.events)
  ) or exists (
    select from subscriptions o
    where o.user_id = any(people) and o.tasks = 'own' and o.disabled_reason is null and event = any(o.events)
  );
end $$;
