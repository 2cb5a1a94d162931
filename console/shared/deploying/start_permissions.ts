/** The choices who may start a deployment. Each choice also allows what those before it allow. */
export const START_PERMISSIONS = [
  { value: 'Owner', label: 'Owner: only you' },
  { value: 'Authenticated', label: 'Authenticated: everybody who has signed up' },
  { value: 'Anonymous', label: 'Anonymous: anybody who shows a public key' },
];
