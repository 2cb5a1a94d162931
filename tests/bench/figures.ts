import { type Figure, makeFigure, type Part } from './figure.ts';
import type { Plan } from './plan.ts';

/** A figure that the bench can measure. */
export interface FigureSpec {
  id: string;
  name: string;
  measure: (plan: Plan) => Promise<Part[]>;
}

// A figure's module is loaded only when the figure is measured, so that a wrong command line is reported at once.

export const figureSpecs: readonly FigureSpec[] = [
  {
    id: 'P1',
    name: 'start in SQL against bare',
    measure: async (plan) => (await import('./start_sql.ts')).measureStartSql(plan),
  },
  {
    id: 'P2',
    name: 'start over HTTP against bare',
    measure: async (plan) => (await import('./start_http.ts')).measureStartHttp(plan),
  },
  {
    id: 'P3',
    name: 'start to finished against the start alone',
    measure: async (plan) => (await import('./run_latency.ts')).measureRunLatency(plan),
  },
  { id: 'P4', name: 'runs to their end', measure: async (plan) => (await import('./runs.ts')).measureRuns(plan) },
  { id: 'P5', name: 'deploy', measure: async (plan) => (await import('./deploys.ts')).measureDeploys(plan) },
  { id: 'P6', name: 'reading', measure: async (plan) => (await import('./reading.ts')).measureReading(plan) },
  { id: 'P7', name: 'waiting', measure: async (plan) => (await import('./waiting.ts')).measureWaiting(plan) },
  { id: 'P8', name: 'cold start', measure: async (plan) => (await import('./cold_start.ts')).measureColdStart(plan) },
  { id: 'P9', name: 'memory', measure: async (plan) => (await import('./worker_memory.ts')).measureWorkerMemory(plan) },
  {
    id: 'P10',
    name: 'start in SQL to finished',
    measure: async (plan) => (await import('./sql_latency.ts')).measureSqlLatency(plan),
  },
  {
    id: 'P11',
    name: 'watching, and answers while others compute',
    measure: async (plan) => [
      ...await (await import('./watching.ts')).measureWatching(plan),
      ...await (await import('./computing.ts')).measureAnswers(plan),
    ],
  },
  {
    id: 'P12',
    name: '10,000 schedules, 100 due each second',
    measure: async (plan) => (await import('./schedules.ts')).measureSchedules(plan),
  },
  {
    id: 'P13',
    name: 'reading a deployment against the look-up of a start',
    measure: async (plan) => (await import('./reading_deployment.ts')).measureReadingDeployment(plan),
  },
  {
    id: 'P14',
    name: 'a claim of 16 among many runs that nobody may claim',
    measure: async (plan) => (await import('./claims.ts')).measureClaims(plan),
  },
  {
    id: 'P15',
    name: '1,000,000 schedules, 2,000 due each second',
    measure: async (plan) => (await import('./schedules.ts')).measureManySchedules(plan),
  },
];

export const takeFigure = async ({ id, name, measure }: FigureSpec, plan: Plan): Promise<Figure> =>
  makeFigure(id, name, await measure(plan));
