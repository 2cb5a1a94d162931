select plan(9);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
select test.sign_in(test.user_id('owner'));

select is(test.error(format('update public.flows set folder = %L', value)), null, value || ' is accepted')
from unnest(array['', 'Orders of 2026', 'Bestellungen · ä', repeat('x', 200)]) as value;

select matches(test.error(format('update public.flows set folder = %L', value)) ->> 'message', '^folder: must be the name of a folder', 'refused: ' || left(to_json(value)::text, 12))
from unnest(array['a/b', ' a', 'a ', E'a\nb', repeat('x', 201)]) as value;

select * from finish();
