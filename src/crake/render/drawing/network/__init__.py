"""Networks as pictures: nodes in layers, arrows between them, a table behind each node."""

from crake.render.drawing.network.picture import NetworkNode, NetworkPicture, layers_of, network_drawing

__all__ = ["NetworkNode", "NetworkPicture", "layers_of", "network_drawing"]
