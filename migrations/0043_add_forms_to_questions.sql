-- A question of a tool server is answered by a form (its JSON Schema) or on a page. Each journalled step writes them, so they
-- count only while the task waits for an answer.
alter table actors add column form text, add column url text;
