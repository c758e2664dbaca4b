-- Lists of the tasks of an assignee. Most tasks have none, and are not in it.
create index tasks_by_assignee on tasks (assignee, id) where assignee is not null;
