select plan(44);

create function pg_temp.fault(port text, value jsonb) returns text language sql as $$
  select private.flow_findings(
    jsonb_build_array(jsonb_set(test.node('a', 'x', '{out}', '{in}'), array['data', port], value)), '[]'
  ) #>> '{0,message}';
$$;
select test.keep('source', test.node('a', 'x', '{out}') #> '{data,sources,0}');
select test.keep('target', test.node('a', 'x', '{}', '{in}') #> '{data,targets,0}');

select is(
  pg_temp.fault('sources', jsonb_build_array(test.kept('source')::jsonb || changes)), null, format('a source with %s passes', changes)
)
from (values (jsonb '{}'), ('{"type": null}'), ('{"optional": true, "tooltip": "x"}'), ('{"name": ""}')) as good (changes);
select is(
  pg_temp.fault('targets', jsonb_build_array(test.kept('target')::jsonb || changes)), null, format('a target with %s passes', changes)
)
from (values (jsonb '{}'), ('{"type_bounds": []}'), ('{"required": false, "passthrough": true, "defaultValue": 1}'),
  ('{"when_absent": "run"}'), ('{"when_absent": "run_unless_failed"}'), ('{"when_absent": null}')) as good (changes);

select is(
  pg_temp.fault('sources', jsonb_build_array(test.kept('source')::jsonb, port)),
  'data.sources: a source must have a string id and a string name', format('the source %s is found', port)
)
from (values
  (jsonb '{}'), ('{"id": "a"}'), ('{"name": "a"}'), ('{"id": 1, "name": "a"}'), ('{"id": "a", "name": null}'),
  ('{"id": ["a"], "name": "a"}')
) as bad (port);

select is(
  pg_temp.fault('targets', jsonb_build_array(test.kept('target')::jsonb, test.kept('target')::jsonb || changes)),
  'data.targets: a target must have a string id, a string name, an array type_bounds, and booleans required and passthrough',
  format('a target with %s is found', changes)
)
from (values
  (jsonb '{"id": null}'), ('{"name": 1}'), ('{"type_bounds": "free"}'), ('{"type_bounds": null}'), ('{"required": "true"}'),
  ('{"required": null}'), ('{"passthrough": 0}'), ('{"passthrough": null}')
) as bad (changes);

select is(
  pg_temp.fault('targets', jsonb_build_array(test.kept('target')::jsonb, test.kept('target')::jsonb || jsonb_build_object('when_absent', word))),
  'data.targets: when_absent of a target must be "run" or "run_unless_failed", or left out', format('when_absent %s is found', word)
)
from (values (jsonb '"wait"'), ('"Run"'), ('""'), ('true'), ('["run"]'), ('{"run": "run"}'), ('1')) as bad (word);

select is(
  pg_temp.fault('targets', jsonb_build_array(test.kept('target')::jsonb - member)),
  'data.targets: a target must have a string id, a string name, an array type_bounds, and booleans required and passthrough',
  format('a target without %s is found', member)
)
from (values ('id'), ('type_bounds'), ('required'), ('passthrough')) as bad (member);

select is(pg_temp.fault('sources', jsonb_build_array(port)), 'data.sources: a source must be an object', format('the source %s is found', port))
from (values (jsonb 'null'), ('"text"'), ('1'), ('[]'), ('["a"]'), ('[{"id": "a", "name": "a"}]')) as bad (port);
select is(pg_temp.fault('targets', jsonb_build_array(port)), 'data.targets: a target must be an object', format('the target %s is found', port))
from (values
  (jsonb 'null'), ('[]'), ('[{"id": "a", "name": "a", "type_bounds": [], "required": true, "passthrough": false}]')
) as bad (port);

select * from finish();
