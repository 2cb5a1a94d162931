import { expect, it } from 'vitest';
import { refusePatternFilters } from '../../dev/stack/gateway/pattern_filters.ts';

it.each([
  'name=match.^a',
  'name=imatch.^a',
  'name=not.match.x',
  'name=not.imatch.x',
  'name=match(any).{a,b}',
  'name=not.imatch(all).{a,b}',
  'select=id&limit=1&name=%6datch.%5Ea',
  'select=id;name=match.x',
  'flow_run.name=match.x',
  'select=*,nodes(*)&nodes.data->>x=imatch.x',
  'or=(id.eq.1,name.match.x)',
  'or=(id.eq.1,and(a.is.null,not.or(b.gt.1,c.not.imatch.x)))',
  'not.and=(name.imatch(any).{a,b},id.eq.1)',
  'nodes.or=(a.eq.1,%22b%20c%22.match.x)',
  'or=(a.eq.x"y,b.match.z)',
  'columns.x=match.y',
])('refuses %s', (query) => {
  expect(() => refusePatternFilters(query)).toThrow('match, imatch');
});

it.each([
  '',
  'select=match.x,id&order=match.desc&nodes.order=imatch.asc',
  'name=eq.match.x',
  'name=like.*match*',
  'match=eq.1',
  'or=(match.eq.1,name.ilike.*match*)',
  'name=fts.match',
])('lets %s pass', (query) => {
  expect(() => refusePatternFilters(query)).not.toThrow();
});
