import { measureColdStart } from './cold_start.ts';
import { measureDeploys } from './deploys.ts';
import { type Figure, makeFigure, type Part } from './figure.ts';
import type { Plan } from './plan.ts';
import { measureReading } from './reading.ts';
import { measureReadingDeployment } from './reading_deployment.ts';
import { measureRuns } from './runs.ts';
import { measureRunLatency } from './run_latency.ts';
import { measureSqlLatency } from './sql_latency.ts';
import { measureSchedules } from './schedules.ts';
import { measureStartHttp } from './start_http.ts';
import { measureStartSql } from './start_sql.ts';
import { measureWaiting } from './waiting.ts';
import { measureWatching } from './watching.ts';
import { measureWorkerMemory } from './worker_memory.ts';

/** A figure that the bench can take. */
export interface FigureSpec {
  id: string;
  name: string;
  measure: (plan: Plan) => Promise<Part[]>;
}

export const figureSpecs: readonly FigureSpec[] = [
  { id: 'P1', name: 'start in SQL against bare', measure: measureStartSql },
  { id: 'P2', name: 'start over HTTP against bare', measure: measureStartHttp },
  { id: 'P3', name: 'start to finished against the start alone', measure: measureRunLatency },
  { id: 'P4', name: 'runs to their end', measure: measureRuns },
  { id: 'P5', name: 'deploy', measure: measureDeploys },
  { id: 'P6', name: 'reading', measure: measureReading },
  { id: 'P7', name: 'waiting', measure: measureWaiting },
  { id: 'P8', name: 'cold start', measure: measureColdStart },
  { id: 'P9', name: 'memory', measure: measureWorkerMemory },
  { id: 'P10', name: 'start in SQL to finished', measure: measureSqlLatency },
  { id: 'P11', name: 'watching', measure: measureWatching },
  { id: 'P12', name: '10,000 schedules, 100 due each second', measure: measureSchedules },
  { id: 'P13', name: 'reading a deployment against the look-up of a start', measure: measureReadingDeployment },
];

export const takeFigure = async ({ id, name, measure }: FigureSpec, plan: Plan): Promise<Figure> =>
  makeFigure(id, name, await measure(plan));
