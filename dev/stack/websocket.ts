import { WebSocket } from 'ws';

// supabase-js always creates a Realtime client, which needs the global WebSocket. Node 20 has no global WebSocket.
globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket;
