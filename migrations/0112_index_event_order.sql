-- The order of the events of all tasks (GET /events) is that of `xact_id`, then of the task, then of its steps. Two plain
-- indexes contain it, in place of a copy that triggers wrote for each row and that a crash of the server emptied.
drop trigger steps_position on steps;
drop trigger tasks_position on tasks;
drop trigger steps_forget on steps;
drop trigger tasks_forget on tasks;
drop function position_step();
drop function position_task();
drop function forget_step();
drop function forget_task();
drop table event_positions;

create index steps_by_xact on steps (xact_id, task_id, seq);
create index tasks_by_xact on tasks (xact_id, id);
