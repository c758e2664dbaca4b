-- Why a finished task ended, so that lists need not read its last step. Null: it has not ended, or it ended before there was
-- this column; then its last step says why.
alter table actors add column ended_by text
  check (ended_by in ('answer', 'limit', 'budget', 'cancelled', 'failure'));
