export {
  addressTitleOf,
  deliveryChannels,
  deliveryWays,
  type GatewayName,
  gatewayNames,
  isGateway,
  notifyWays
} from "@troupe/domain/DeliveryWay"
