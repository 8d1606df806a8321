"""What scikit-learn asks estimators for beyond ``fit``; it is imported by whoever asks, so it is there."""

from __future__ import annotations

from typing import Any, Dict, Tuple

from .exceptions import InputError

#: Arguments that a pipeline may hand on, by method.
ROUTED: Dict[str, Tuple[str, ...]] = {
    "fit": ("sample_weight_x", "sample_weight_y", "ys", "Xt", "yt", "sample_domain"),
    "transform": ("sample_domain",),
}


class Routed:
    """Requests for arguments, and tags."""

    def get_metadata_routing(self) -> Any:
        """Which arguments scikit-learn's pipelines hand on to which method."""
        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):
            return self._metadata_request
        requests = MetadataRequest(owner=self)
        for method, names in ROUTED.items():
            for name in names:
                getattr(requests, method).add_request(param=name, alias=None)
        return requests

    def set_fit_request(self, **requests: Any) -> Any:
        """Which arguments of ``fit`` a pipeline hands on: ``set_fit_request(Xt=True)``; needs scikit-learn's metadata routing."""
        return self._request("fit", requests)

    def set_transform_request(self, **requests: Any) -> Any:
        """Which arguments of ``transform`` a pipeline hands on."""
        return self._request("transform", requests)

    def _request(self, method: str, requests: Dict[str, Any]) -> Any:
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "metadata routing is off: switch it on with sklearn.set_config(enable_metadata_routing=True), or name the step, as "
                "in pipeline.fit(X, transport__Xt=...)"
            )
        routing = self.get_metadata_routing()
        for name, alias in requests.items():
            if name not in ROUTED[method]:
                raise InputError(f"{name}: no argument of {method} to hand on, expected one of {', '.join(ROUTED[method])}")
            getattr(routing, method).add_request(param=name, alias=alias)
        self._metadata_request = routing
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=False, multi_output=True),
            transformer_tags=TransformerTags(preserves_dtype=["float64", "float32"]),
            input_tags=InputTags(),
        )
