-- What gateways know a user by, such as the number of a pager, by the gateway's name (packages/domain/src/DeliveryWay.ts).
alter table users add column addresses jsonb not null default '{}';
