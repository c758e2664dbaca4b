/** What the chat platform calls, by what it is for. */
export const chatAddresses = (publicUrl: string) => ({
  Events: `${publicUrl}/team-chat/dm_response`,
  Interactivity: `${publicUrl}/team-chat/interactive`,
  "Slash command": `${publicUrl}/team-chat/command`
})

/** The manifest that makes an app for Troupe at the chat platform: what it may do, and where its requests go. */
export const chatManifest = (publicUrl: string): string => {
  const addresses = chatAddresses(publicUrl)
  return JSON.stringify(
    {
      display_information: { name: "Troupe", description: "Gives tasks to AI agents, and answers in the thread" },
      features: {
        app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
        bot_user: { display_name: "Troupe", always_online: true },
        slash_commands: [{
          command: "/troupe",
          url: addresses["Slash command"],
          description: "Starts a task, or shows and answers tasks",
          usage_hint: "help",
          should_escape: false
        }]
      },
      oauth_config: {
        scopes: {
          bot: [
            "app_mentions:read",
            "channels:history",
            "channels:read",
            "chat:write",
            "commands",
            "files:read",
            "files:write",
            "groups:history",
            "groups:read",
            "im:history",
            "im:read",
            "im:write",
            "mpim:history",
            "mpim:read",
            "users:read",
            "users:read.email"
          ]
        }
      },
      settings: {
        event_subscriptions: {
          request_url: addresses.Events,
          bot_events: [
            "app_mention",
            "channel_archive",
            "channel_deleted",
            "channel_left",
            "channel_rename",
            "channel_unarchive",
            "group_archive",
            "group_deleted",
            "group_left",
            "group_rename",
            "group_unarchive",
            "member_joined_channel",
            "member_left_channel",
            "message.channels",
            "message.groups",
            "message.im",
            "message.mpim",
            "team_join",
            "user_change"
          ]
        },
        interactivity: { is_enabled: true, request_url: addresses.Interactivity },
        org_deploy_enabled: false,
        socket_mode_enabled: false,
        token_rotation_enabled: false
      }
    },
    null,
    2
  )
}
