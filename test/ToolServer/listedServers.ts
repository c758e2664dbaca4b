export const nothing = {
  total_servers: 0,
  connected_servers: 0,
  failed_servers: 0,
  disabled_servers: 0,
  total_tools: 0,
  servers: []
}
