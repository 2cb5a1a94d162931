create function private.script_names_fault(names text[], noun text, is_rhai boolean)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- The reserved words of runner/rhai/tokens.ts, and the names ENV and source, which have a meaning in every script. A
  -- test compares the lists.
  v_words constant text[] := '{
    as,async,await,break,call,case,catch,const,continue,curry,debug,default,do,else,eval,export,false,fn,Fn,for,go,
    goto,if,import,in,is,is_def_fn,is_def_var,is_shared,let,loop,match,module,new,nil,"null",package,print,private,
    protected,public,return,shared,spawn,static,super,switch,sync,this,thread,throw,true,try,type_of,until,use,var,
    void,while,with,yield,ENV,source
  }';
begin
  if cardinality(script_names_fault.names) > private.limit_script_ports() then
    return format('a script may have at most %s %ss', private.limit_script_ports(), script_names_fault.noun);
  end if;
  return (
    select case
      when p.count > 1
        then format('two %ss have the name %s', script_names_fault.noun, to_jsonb(private.shorten(p.name)))
      when p.name = any (v_words)
        then format(
          '%s has a meaning in scripts, so no %s may have this name', to_jsonb(p.name), script_names_fault.noun
        )
      else format(
        'the name %s of an %s must have only letters from A to Z, digits and _, and a letter before its first digit',
        to_jsonb(private.shorten(p.name)), script_names_fault.noun
      )
    end
    from (
      select n.name, count(*) as count, min(n.position) as position
      from unnest(script_names_fault.names) with ordinality as n (name, position) group by n.name
    ) as p
    where p.count > 1
      or script_names_fault.is_rhai and (p.name = any (v_words) or p.name !~ '^_*[A-Za-z][A-Za-z0-9_]*$')
    order by p.position limit 1
  );
end;
$$;
comment on function private.script_names_fault(text[], text, boolean) is
  'The first fault in the names of a script''s inputs or outputs; null without a fault. `noun` is input or output.';

-- Only the port names of a rhai_script node must be valid names of the language Rhai. The script of a javascript node
-- can read an input with any name as inputs["…"].
create function private.script_port_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_is_rhai constant boolean := script_port_fault.data ->> 'node_id' = 'rhai_script';
begin
  return coalesce(
    'data.targets: ' || private.script_names_fault(array(
      select t.port ->> 'name' from jsonb_array_elements(script_port_fault.data -> 'targets') as t (port)
    ), 'input', v_is_rhai),
    'data.sources: ' || private.script_names_fault(array(
      select s.port ->> 'name' from jsonb_array_elements(script_port_fault.data -> 'sources') as s (port)
      -- If data.on_error is "output", the runner sets the output named error. The script does not set this output, so
      -- the rules do not apply to its name.
      where s.port ->> 'name' <> 'error' or script_port_fault.data -> 'on_error' is distinct from '"output"'
    ), 'output', v_is_rhai)
  );
end;
$$;
comment on function private.script_port_fault(jsonb) is
  'The first fault in the port names of a rhai_script or javascript node; null without a fault. No two inputs, and no two outputs, may share a name. In a rhai_script node, names must be valid in the language Rhai. `data` is the node''s data. private.port_fault() must have found no fault in it.';
