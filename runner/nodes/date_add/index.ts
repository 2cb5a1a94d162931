import { ConversionError, readField, toInteger, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { dateOutputs, readDate, readZone } from '../../values/dates.ts';
import definition from './definition.json' with { type: 'json' };

const UNITS = ['years', 'quarters', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'] as const;

const toI64 = toInteger('i64');

function toUnit(name: string): typeof UNITS[number] {
  const unit = UNITS.find((known) => known === name);
  if (unit === undefined) throw new ConversionError(`must be one of ${UNITS.join(', ')}`, 'unit');
  return unit;
}

/**
 * Adds a duration to a date. Days and longer units are counted by the calendar of the zone, so a day in which the clocks
 * change has 23 or 25 hours. A day that the month lacks becomes its last one.
 */
export const dateAddNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const unit = toUnit(readField(inputs, 'unit', toText));
    const amount = Number(readField(inputs, 'amount', toI64));
    const sum = readDate(inputs, readZone(inputs)).plus({ [unit]: amount });
    if (!sum.isValid) throw new ConversionError('leads beyond the dates that can be computed', 'amount');
    return dateOutputs(sum);
  },
};
