import { WebSocket } from 'ws';

// supabase-js makes its Realtime client at once, and Node 20 has no WebSocket of its own.
globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket;
