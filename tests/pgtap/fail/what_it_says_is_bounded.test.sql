select plan(3);

select is(private.shorten('short'), 'short', 'a short text stays');
select is(private.shorten(repeat('ü', 101)), repeat('ü', 100) || '…', 'a long text is cut');
select is(
  length(test.error(format('select private.fail(''request_invalid'', %L)', repeat('x', 100000))) ->> 'message'), 2001,
  'no message is longer than 2,000 characters'
);

select * from finish();
