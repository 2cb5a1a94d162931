SET local check_function_bodies = off;

DROP FUNCTION "private"."json_digits"(jsonb);

CREATE OR REPLACE FUNCTION private.json_digits (
  value jsonb,
  OUT   longest integer,
  OUT   total bigint
)
  RETURNS record
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- jsonb_path_query would take quadratic time, because it moves all remaining results after each row that it returns.
  select coalesce(max(d.digits), 0), coalesce(sum(d.digits), 0) into longest, total
  from jsonb_array_elements(jsonb_path_query_array(json_digits.value, 'strict $.** ? (@.type() == "number")'))
    as e (number)
  cross join lateral (select e.number::numeric as number) as n
  cross join lateral (select case
    when abs(n.number) >= 10::numeric ^ private.limit_number_digits()
      or scale(n.number) > private.limit_number_digits() then 131072
    when abs(n.number) < 1 then scale(n.number)
    when abs(n.number) < 1e16 and scale(n.number) <= private.limit_number_digits() - 16 then scale(n.number) + 1
    else scale(n.number) + length(trunc(abs(n.number))::text)
  end as digits) as d;
end;
$function$;

COMMENT ON FUNCTION "private"."json_digits"(jsonb) IS 'Counts the digits in the text of each number in a JSON value, before and after the point. longest: the greatest count. total: the sum of all counts. A number with more digits than the limit counts as 131,072 digits. In a number below 10^16, all digits before the point count as one.';

REVOKE ALL ON FUNCTION "private"."json_digits"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."json_digits"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."json_digits"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_digits"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_digits"(jsonb) TO "service_role";
