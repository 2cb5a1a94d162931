-- By a migration of its own: starts and claims that were under way when the one before took its locks go on with both.
drop function private.next_turn(uuid);
drop sequence private.flow_run_turn;
