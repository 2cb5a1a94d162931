import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeWalletsApp } from './app.ts';

export default makeWalletsApp(edgePlatform());
