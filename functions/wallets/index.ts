import { edgePlatform } from '../_shared/platform.ts';
import { makeWalletsApp } from './app.ts';

export default makeWalletsApp(edgePlatform());
