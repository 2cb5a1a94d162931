select plan(4);

create function pg_temp.disagreements(texts text[]) returns setof text language sql as $$
  select t.text from unnest(disagreements.texts) as t (text)
  where private.is_public_key(t.text) is distinct from coalesce(octet_length(private.decode_base58(t.text)) = 32, false);
$$;

select is_empty($$ select pg_temp.disagreements(array(
  select (
    select string_agg(substr('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 1 + floor(random() * 58)::integer, 1), '')
    from generate_series(1, 30 + n % 17)
  )
  from generate_series(1, 2000) as n
)) $$, 'texts of 30 to 46 characters agree');

select is_empty($$ select pg_temp.disagreements(array(
  select repeat('1', zeros) || repeat('z', digits) from generate_series(0, 34) as zeros, generate_series(0, 45) as digits
)) $$, 'keys with leading zero bytes agree');

-- 32 bytes may begin with 0, 1, 2, 15 or 31 zero bytes. For each case, this tests the smallest and the greatest number
-- in the other bytes, and the numbers next to these two.
select is_empty($$ select pg_temp.disagreements(array(select edge.text from (values
  ('4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL'),
  ('4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'),
  ('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG'),
  ('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'),
  ('1tJ93RwaVfE1PEMxd5rpZZuPtLCwbEaDCrNBhAy8Cv'),
  ('1tJ93RwaVfE1PEMxd5rpZZuPtLCwbEaDCrNBhAy8Cw'),
  ('14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL'),
  ('14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'),
  ('11Cd4BX7vopdUjCBe56dfR9Mw86iDpdcAZbJ2yE8jQ'),
  ('11Cd4BX7vopdUjCBe56dfR9Mw86iDpdcAZbJ2yE8jR'),
  ('11tJ93RwaVfE1PEMxd5rpZZuPtLCwbEaDCrNBhAy8Cv'),
  ('11tJ93RwaVfE1PEMxd5rpZZuPtLCwbEaDCrNBhAy8Cw'),
  ('111111111111111YcVfxkQb6JRzqk5kF2tNLv'),
  ('111111111111111YcVfxkQb6JRzqk5kF2tNLw'),
  ('1111111111111113QXfYy4b7UPwLJ99wrwKjCyL'),
  ('1111111111111113QXfYy4b7UPwLJ99wrwKjCyM'),
  ('1111111111111111111111111111111'),
  ('11111111111111111111111111111112'),
  ('11111111111111111111111111111115Q'),
  ('11111111111111111111111111111115R')
) as edge (text))) $$, 'the smallest and greatest keys and their neighbours agree');

select is_empty($$ select pg_temp.disagreements(array['', ' ', '0OIl', repeat('0', 32), repeat('é', 32), repeat('1', 31) || ' ', repeat('1', 100000)]) $$,
  'texts with other characters, and a long text, agree');

select * from finish();
