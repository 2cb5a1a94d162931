import { WebSocket } from 'ws';

// supabase-js creates its Realtime client at once. That needs a WebSocket, which Node 20 lacks.
globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket;
