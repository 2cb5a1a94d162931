import jsonata from 'jsonata';
import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { untimedScripts } from '../../../tests/support/untimed_scripts.ts';
import { fromWireJsonText } from '../../../types/values/json/wire_json.ts';
import { jsonataNode } from './index.ts';

// The package `jsonata` in Node gives the expected results: numbers that JavaScript holds have to behave as there.

const INPUT = `{
  "items": [
    {"n": "a", "price": 1.5, "q": 2, "tags": ["x", "y"]},
    {"n": "b", "price": 0, "q": 0, "tags": []},
    {"n": "c", "price": 12.25, "q": 1}
  ],
  "o": {"k": 1, "l": null, "m": true},
  "z": 0, "e": [], "s": "5", "one": [7], "nested": [[1, 2], [3]]
}`;

const EXPRESSIONS = [
  'items[price>1][]',
  'items[-1].n',
  'items[[0,1]].n',
  'items[[0..1]].n',
  'items[1]',
  'items[q]',
  'items[$.q].n',
  'items[tags].n',
  'items[tags[0]="x"].n',
  'items[price].n',
  '$number("0x1F")',
  '$number("1e3")',
  '$number(true)',
  '$number({})',
  '$number([1])',
  's.$number()',
  '$not()',
  'z.$not()',
  '$not(e)',
  '$boolean([])',
  '$boolean([0])',
  '$boolean({})',
  '$type(null)',
  '$type(items)',
  'o.l.$type()',
  '$sort(items.price)',
  '$sort(items.n)',
  '$sort(items, function($a,$b){$a.price<$b.price}).n',
  'items^(>price).n',
  'items^(q,n).n',
  '$merge([{"a":1},{"b":2}])',
  '$merge(items)',
  '$merge(o)',
  '$spread(o)',
  '$spread(items)',
  'o.$spread()',
  '$each(o, function($v,$k){$k & "=" & $v})',
  'o.$each(function($v,$k){$k})',
  '$sift(o, function($v){$v=1})',
  '$sift(o,$boolean)',
  '$filter(items, function($v,$i,$a){$v.price > $average($a.price)}).n',
  '$filter(items,function($v){$v.q}).n',
  '$filter([0,1,2],$boolean)',
  '$single(items, function($v){$v.n="b"}).n',
  '$single([5])',
  '$single(items)',
  'z ? 1 : 2',
  'items ? 1 : 2',
  'missing ? 1 : 2',
  'missing ?? 3',
  'z ?: 4',
  'z and true',
  'missing or s',
  'items.n & "x"',
  'o & ""',
  'missing & "a"',
  'missing & missing',
  '1.5 & 2',
  '(0.1+0.2) & ""',
  '$string(o)',
  '$string(o,true)',
  '$string(items.price)',
  '$string($)',
  'o.$string()',
  '$string(null)',
  '$string($sum)',
  'one & ""',
  '$string(one)',
  '$ ~> |items|{"n": "z"},"tags"|',
  'items ~> |$|{"q":q+1}|',
  'items{n: price}',
  'items{n: $sum(price)}',
  '$reduce([1,2,3], function($a,$b){$a+$b})',
  '$map(items.price, $string)',
  'items.price ~> $sum() ~> $string()',
  '($f:=function($x){$x<=1?1:$x*$f($x-1)};$f(10))',
  '(items.n) ~> $join(",")',
  'nested[1]',
  'nested[0][1]',
  '**[price>1].n',
  '*.n',
  'items@$i.tags@$t.($i.n & $t)',
  'items#$i[$i>0].n',
  'items.(%.z)',
  '$[0]',
  'items[0][0].n',
  '$string(1/0)',
  '"a" & (1/0)',
  '-items[0].price',
  '[1..3]',
  '$eval("1+z")',
  '$exists(missing)',
  'items[n in ["a","c"]].n',
  '$assert(z=0,"x")',
  '$error("boom")',
  '1e21 & ""',
  '$round(2.345,2)',
  '$formatNumber(1234.5,"#,##0.00")',
  'items[price>1 and q].n',
  'items[$not(q)].n',
  '/a/ ? 1 : 2',
  '$match("ab",/a/)',
  'items[n~>/a/].n',
  '$distinct([1,1,2])',
  '$zip(items.n, items.q)',
  'items.tags[0]',
  'items.tags[]',
  '$lookup(o,"k")',
  '{"a": z ? 1 : missing}',
  '$clone(o)',
  'o.k[]',
  '$append(1,2)',
  '$count(items[price>1])',
  '$keys(o)',
  '$contains("ab",/a/)',
  'function($x){$x and true}(1)',
  'λ($x){$x & ""}(1.25)',
  '$sum(items.(price*q))',
  '$map([1,2],function($v,$i){$i & ":" & $v})',
  '$substring("abc",1)',
  '$single([1,2],function($v){$v})',
  '$sift({"a":0,"b":2},function($v){$v})',
];

async function expected(expression: string): Promise<unknown> {
  try {
    const text = JSON.stringify(await jsonata(expression).evaluate(JSON.parse(INPUT)));
    return text === undefined ? {} : { result: fromWireJsonText(text, 100_000) };
  } catch (error) {
    const { message, position } = error as { message: string; position?: number };
    return { error: position === undefined ? message : `${message} (character ${position})` };
  }
}

const actual = (expression: string): Promise<unknown> =>
  runNode(jsonataNode, { expression: { S: expression }, input: fromWireJsonText(INPUT, 100_000) }, {
    scripts: untimedScripts,
  }).catch(({ message }) => ({ error: message }));

it.each(EXPRESSIONS)('%s', async (expression) => {
  expect(await actual(expression)).toEqual(await expected(expression));
});

// JSON has no infinity, Node fails to write a function as JSON, and a long literal keeps its digits here.
it.each<[expression: string, answer: object]>([
  ['1/0', { result: { F: 'inf' } }],
  ['$uppercase ~> $trim', { error: expect.stringContaining("a value of type function can't be an output") }],
  ['12345678901234567 & ""', { result: { S: '12345678901234567' } }],
])('%s differs', async (expression, answer) => expect(await actual(expression)).toEqual(answer));
