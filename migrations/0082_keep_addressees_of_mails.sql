-- Whom a mail went to that an agent has written, in lower case: what they answer reaches its task. Null: any other mail.
alter table task_threads add column addresses text[];
